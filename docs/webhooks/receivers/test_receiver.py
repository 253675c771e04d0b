"""python3 -m unittest test_receiver.py"""

import base64
import json
import pathlib
import unittest
from email.message import Message

from receiver import Rejected, verify

VECTORS = json.loads((pathlib.Path(__file__).parent.parent / "vectors.json").read_text("utf-8"))["vectors"]
WORDS = {"headers": "not signed", "signature": "signature", "timestamp": "timestamp"}


class Vectors(unittest.TestCase):
    def test_vectors(self) -> None:
        for vector in (vector for vector in VECTORS if vector["families"] != "standard"):
            headers = Message()
            for name, value in vector["headers"].items():
                headers[name] = value
            given = (base64.b64decode(vector["body"]), headers, vector["secret"], vector["toleranceSeconds"], vector["now"])
            with self.subTest(vector["name"]):
                if vector["valid"]:
                    self.assertEqual(verify(*given)["task"]["status"], "COMPLETED")
                else:
                    self.assertRaisesRegex(Rejected, WORDS[vector["reason"]], verify, *given)


if __name__ == "__main__":
    unittest.main()
