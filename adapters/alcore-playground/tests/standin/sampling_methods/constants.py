"""Samplers by name."""

AL_MAPPING = {}


def get_base_AL_mapping():
    from sampling_methods.graph_density import GraphDensitySampler
    from sampling_methods.hierarchical_clustering_AL import HierarchicalClusterAL
    from sampling_methods.informative_diverse import InformativeClusterDiverseSampler
    from sampling_methods.kcenter_greedy import kCenterGreedy
    from sampling_methods.margin_AL import MarginAL
    from sampling_methods.represent_cluster_centers import RepresentativeClusterMeanSampling
    from sampling_methods.uniform_sampling import UniformSampling

    AL_MAPPING.update(
        margin=MarginAL, uniform=UniformSampling, informative_diverse=InformativeClusterDiverseSampler,
        margin_cluster_mean=RepresentativeClusterMeanSampling, graph_density=GraphDensitySampler,
        kcenter=kCenterGreedy, hierarchical=HierarchicalClusterAL,
    )  # fmt: skip


def get_all_possible_arms():
    from sampling_methods.mixture_of_samplers import MixtureOfSamplers

    AL_MAPPING["mixture_of_samplers"] = MixtureOfSamplers
