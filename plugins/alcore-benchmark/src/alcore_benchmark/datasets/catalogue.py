"""The 40 data sets of the expanded benchmark (its Table 17): what each is, and where it can be had.

Counts are those of the published runs. Where the table corrects itself ("108->208") or is wrong (Breast), the number
that the runs had stands here, with a note.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

ZHAN = "https://github.com/SineZHAN/ComparativeSurveyIJCAI2021PoolBasedAL (Dataset/dealeddata)"
LIBSVM = "https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets"
UCI = "https://archive.ics.uci.edu/dataset"


@dataclass(frozen=True)
class Entry:
    """One data set.

    Parameters
    ----------
    name : its name here; ``title`` is the table's
    classes, imbalance, features, rows
        Facts that are checked when it is loaded; ``imbalance`` is the largest class over the smallest, and a whole
        number where the table cuts the digits off.
    preparation : what was done to the numbers before they came into the file
    file : its name in the folder ``ALCORE_DATA``
    where : who offers that file
    options : how the file is read, as for the data set ``file``
    bundled : a data set of another plugin with the same rows, or ""
    openml : its number at OpenML, or None
    exact : whether the published numbers of this data set were reproduced from the file, digit by digit
    target_known : whether it is known which column was predicted; else its imbalance cannot be checked
    note : what differs from the table or from the published file
    """

    name: str
    title: str
    domain: str
    classes: int
    imbalance: float
    features: int
    rows: int
    preparation: str
    file: str
    where: str
    options: Mapping[str, Any] = field(default_factory=dict)
    bundled: str = ""
    openml: int | None = None
    exact: bool = False
    target_known: bool = True
    note: str = ""


def _zhan(
    name: str, title: str, domain: str, imbalance: float, d: int, n: int, preparation: str, *, k: int = 2, **more: Any
) -> Entry:
    """Return a data set of the earlier benchmark (Zhan et al. 2021), as LIBSVM text."""
    options = {"dense": True, "features": d}
    return Entry(
        name, title, domain, k, imbalance, d, n, preparation, f"{name}-svmstyle.txt", ZHAN, options, **more
    )  # fmt: skip


def _features(name: str, title: str, domain: str, imbalance: float, d: int, n: int, k: int, **more: Any) -> Entry:
    """Return features that the user computes: rows in the order of the original, the test part last."""
    where = "computed by `python -m alcore_benchmark.embeddings`, see the documentation"
    return Entry(name, title, domain, k, imbalance, d, n, "embeddings", f"{name}.npz", where, **more)


HEALTH, PHYSICS, BIOLOGY, SYNTHETIC = "Health and Medicine", "Physics and Chemistry", "Biology", "Synthetic"
UNIT, Z, RAW = "scaled to [-1, 1]", "standardised", "as measured"

TABLE: tuple[Entry, ...] = (
    _zhan("appendicitis", "Appendicitis", HEALTH, 4.05, 7, 106, "scaled to [0, 1]", exact=True),
    _zhan("iris", "Iris", BIOLOGY, 1, 4, 150, UNIT, k=3, bundled="sklearn.iris", openml=61,
          note="the order of rows in the published file is not known"),
    _zhan("wine", "Wine", PHYSICS, 1.48, 13, 178, UNIT, k=3, bundled="sklearn.wine", openml=187),
    _zhan("sonar", "Sonar", PHYSICS, 1, 60, 208, UNIT, bundled="keel.sonar", openml=40, exact=True),
    _zhan("parkinsons", "Parkinsons", HEALTH, 3.06, 22, 195, Z, openml=1488, exact=True),
    _zhan("ex8b", "Ex8b", SYNTHETIC, 1, 2, 210, RAW, exact=True),
    _zhan("heart", "Heart", HEALTH, 1, 13, 270, UNIT, bundled="keel.heart", openml=53, exact=True),
    _zhan("haberman", "Haberman", HEALTH, 2, 3, 306, RAW, bundled="keel.haberman", openml=43, exact=True,
          note="17 rows occur twice"),
    _zhan("ionosphere", "Ionosphere", PHYSICS, 1, 34, 351, UNIT, openml=59, exact=True, note="one column is constant"),
    _zhan("clean1", "Clean1", PHYSICS, 1, 166, 476, "scaled to [0, 1]", exact=True),
    Entry("breast", "Breast", HEALTH, 2, 1, 10, 683, UNIT, "breast-cancer_scale.libsvm", f"{LIBSVM}/binary.html",
          {"dense": True, "features": 10}, exact=True,
          note="the table says 478 rows; the published runs had these 683, whose first column is the sample's number"),
    _zhan("wdbc", "Wdbc", HEALTH, 1, 30, 569, Z, bundled="sklearn.breast-cancer", openml=1510, exact=True),
    _zhan("australian", "Australian", "Business", 1, 14, 690, UNIT, bundled="keel.australian", openml=40981,
          exact=True),
    _zhan("diabetes", "Diabetes", HEALTH, 1, 8, 768, UNIT, bundled="keel.pima", openml=37, exact=True),
    _zhan("mammographic", "Mammographic", HEALTH, 1, 5, 830, RAW, bundled="keel.mammographic",
          note="266 rows occur twice, so that ties decide; the published numbers agree to 0.001"),
    _zhan("ex8a", "Ex8a", SYNTHETIC, 1, 2, 766, RAW, exact=True),
    Entry("tic", "Tic", "Games", 2, 6, 9, 958, "codes", "tictactoe-published.csv",
          "no public source is known", {"target": -1},
          note="the published runs had 835 and 123 rows of the classes; UCI's tic-tac-toe has 626 and 332"),
    _zhan("german", "German", "Social Science", 2, 24, 1000, UNIT, exact=True),
    _zhan("splice", "Splice", BIOLOGY, 1, 60, 1000, UNIT, exact=True, note="LIBSVM's training part"),
    _zhan("gcloudb", "Gcloudb", SYNTHETIC, 1, 2, 1000, RAW, exact=True),
    _zhan("gcloudub", "Gcloudub", SYNTHETIC, 2.03, 2, 1000, RAW, exact=True),
    _zhan("checkerboard", "Checkerboard", SYNTHETIC, 1.82, 2, 1600, RAW, exact=True),
    Entry("myocardial", "Myocardial", HEALTH, 2, 20.52, 111, 1700, RAW, "myocardial_MI.data", f"{UCI}/579",
          {"header": False, "drop": [0, *range(112, 123)], "target": 123}, target_known=False,
          note="which of the 12 outcomes was predicted is not known: none has the published imbalance"),
    Entry("bioresponse", "Bioresponse", BIOLOGY, 2, 1, 419, 3434, RAW, "bioresponse.arff", "OpenML", openml=45019),
    Entry("abalone", "Abalone", BIOLOGY, 21, 114.83, 8, 4168, "sex as a code", "abalone.csv", f"{UCI}/1",
          {"target": -1}, openml=183, note="classes of fewer than three rows are left out"),
    Entry("academic-success", "Academic Success", "Social Science", 3, 2.78, 36, 4424, RAW, "academic_success.csv",
          f"{UCI}/697", {"target": "Target"}),
    _zhan("spambase", "Spambase", "Computer Science", 1.54, 57, 4601, Z, bundled="", openml=44, exact=True),
    _zhan("banana", "Banana", SYNTHETIC, 1, 2, 5300, RAW, bundled="keel.banana", openml=1460, exact=True),
    _zhan("phoneme", "Phoneme", "Speech", 2, 5, 5404, RAW, bundled="keel.phoneme", openml=1489, exact=True),
    Entry("satellite", "Satellite", "Climate and Environment", 6, 2.45, 36, 6435, RAW, "satimage.dat",
          "https://sci2s.ugr.es/keel/datasets.php", {"target": -1, "header": False}, bundled="keel.satimage",
          openml=182),
    _zhan("ringnorm", "Ringnorm", SYNTHETIC, 1, 20, 7400, RAW, bundled="keel.ring", openml=1496, exact=True),
    _zhan("twonorm", "Twonorm", SYNTHETIC, 1, 20, 7400, RAW, bundled="keel.twonorm", openml=1507, exact=True),
    Entry("pol", "Pol", SYNTHETIC, 2, 1, 26, 10082, RAW, "pol.arff", "OpenML", openml=44122),
    _zhan("phishing", "Phishing", "Computer Science", 1, 30, 11055, "codes -1, 0, 1", openml=4534,
          note="5,206 rows occur twice"),
    Entry("dry-bean", "Dry Bean", BIOLOGY, 7, 6.79, 16, 13611, RAW, "Dry_Bean_Dataset.csv", f"{UCI}/602",
          {"separator": ";", "target": "Class"}),
    _features("imdb", "IMDB", "Text", 1, 768, 50000, 2),
    _features("cifar-10", "CIFAR-10", "Image", 1, 768, 60000, 10),
    Entry("diabetes-130", "Diabetes 130-US Hospitals", HEALTH, 3, 4.83, 2463, 101766, "one-hot", "diabetic_data.csv",
          f"{UCI}/296", {"target": "readmitted", "drop": ["encounter_id", "patient_nbr"]}, openml=4541,
          note="how the published 2,463 columns were made is not stated; ours are 0/1 columns of every code"),
    Entry("rt-iot2022", "RT-IoT2022", "Engineering", 12, 3380.68, 94, 123117, "one-hot", "RT_IOT2022.csv", f"{UCI}/942",
          {"target": "Attack_type", "drop": [0]}),
    Entry("covertype", "Covertype", BIOLOGY, 2, 1, 10, 566602, RAW, "covertype.arff", "OpenML", openml=44121),
)  # fmt: skip
"""In the order of the table."""
