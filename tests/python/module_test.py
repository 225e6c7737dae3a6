"""The module mlsim answers as the program does, and fails as Python does."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import mlsim

TREE = pathlib.Path(__file__).resolve().parents[2]
JOB = {"topology": "dgx-a100:nodes=2", "workload": "resnet50"}


def said_by_program(*words):
    """Standard output of the program."""
    done = subprocess.run([os.environ["MLSIM_PROGRAM"], *words], capture_output=True, text=True, timeout=120)
    return done.stdout


class Predict(unittest.TestCase):
    def test_it_answers_as_the_program(self):
        asked = ["predict", "--topology", "dgx-a100:nodes=2", "--workload", "resnet50", "--format", "json"]
        self.assertEqual(mlsim.predict(**JOB), json.loads(said_by_program(*asked)))

    def test_settings_prices_and_profiles_are_options(self):
        with tempfile.TemporaryDirectory() as folder:
            prices = pathlib.Path(folder, "prices.yaml")
            prices.write_text("prices:\n  - {resource: a100-sxm4-80gb, on_demand: 2 USD/h}\n")
            answer = mlsim.predict(
                **JOB, accelerators=8, global_batch=1024, settings={"overlap": False, "epochs": 3},
                price={"dgx-a100": "24USD/h"}, prices=[str(prices)], precision=None)
            program = said_by_program(
                "predict", "--topology", "dgx-a100:nodes=2", "--workload", "resnet50", "--accelerators", "8",
                "--global-batch", "1024", "--set", "overlap=off", "--set", "epochs=3", "--price", "dgx-a100=24USD/h",
                "--prices", str(prices), "--format", "json")
        self.assertEqual(answer, json.loads(program))
        self.assertEqual(answer["inputs"]["global_batch"], 1024)
        self.assertAlmostEqual(answer["price_usd_per_s"] * 3600, 24)

    def test_wrong_words_are_value_errors_with_the_nearest_right_one(self):
        with self.assertRaisesRegex(ValueError, 'did you mean "--topology"'):
            mlsim.predict(topolgy="dgx-a100", workload="resnet50")
        with self.assertRaisesRegex(ValueError, 'did you mean "resnet50"'):
            mlsim.predict(topology="dgx-a100", workload="resnet5")
        with self.assertRaisesRegex(ValueError, "predict needs --workload"):
            mlsim.predict(topology="dgx-a100")
        with self.assertRaisesRegex(ValueError, "--workload: is empty"):
            mlsim.predict(topology="dgx-a100", workload="")
        with self.assertRaisesRegex(ValueError, "global_batch: is one value here; mlsim.sweep takes lists"):
            mlsim.predict(**JOB, global_batch=[512, 1024])
        with self.assertRaisesRegex(ValueError, "format: is not for Python"):
            mlsim.predict(**JOB, format="text")
        with self.assertRaisesRegex(ValueError, "--profile|missing.json"):
            mlsim.predict(**JOB, profiles=["missing.json"])

    def test_wrong_types_are_type_errors_with_the_keyword(self):
        for keyword, value in {"global_batch": True, "accelerators": b"8", "precision": {"fp16"}, "fidelity": {},
                               "workload": object(), "as_is": "on", "settings": b"overlap=on"}.items():
            with self.assertRaisesRegex(TypeError, "^" + keyword + ": "):
                mlsim.predict(**{**JOB, keyword: value})
        with self.assertRaisesRegex(TypeError, "^accelerators: .* not NoneType"):
            mlsim.sweep(**JOB, accelerators=[8, None])
        with self.assertRaisesRegex(ValueError, "^help: "):
            mlsim.predict(**JOB, help=True)
        with tempfile.TemporaryDirectory() as folder:
            prices = pathlib.Path(folder, "prices.yaml")
            prices.write_text("prices: []\n")
            self.assertIsNotNone(mlsim.predict(**JOB, prices=prices)["cost_usd"])

    def test_an_exception_of_any_handler_ends_what_would_take_long(self):
        class Late(Exception):
            pass

        def late(number, frame):
            raise Late

        before = signal.signal(signal.SIGALRM, late)
        try:
            slow = {"topology": "torus128x128", "workload": "bert-large", "fidelity": "message"}
            for ask in (mlsim.predict, mlsim.sweep):
                begin = time.monotonic()
                signal.alarm(1)
                with self.assertRaises(Late):
                    ask(**slow)
                self.assertLess(time.monotonic() - begin, 6)  # of half a minute
        finally:
            signal.signal(signal.SIGALRM, before)
        self.assertIn("step", mlsim.predict(**JOB))

    def test_what_does_not_fit_is_infeasible(self):
        with self.assertRaisesRegex(mlsim.Infeasible, "at most [0-9]+ fit"):
            mlsim.predict(**JOB, batch_per_accelerator=100000, as_is=True)
        self.assertTrue(issubclass(mlsim.Unavailable, Exception))

    def test_an_interrupt_ends_what_would_take_long(self):
        slow = (
            "import mlsim, sys\n"
            "print('ready', flush=True)\n"
            "try:\n"
            "    mlsim.predict(topology='torus128x128', workload='bert-large', fidelity='message')\n"
            "except KeyboardInterrupt:\n"
            "    print('interrupted')\n")
        process = subprocess.Popen([sys.executable, "-c", slow], stdout=subprocess.PIPE, text=True)
        process.stdout.readline()
        time.sleep(1)
        begin = time.monotonic()
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.communicate(timeout=60)[0], "interrupted\n")
        self.assertLess(time.monotonic() - begin, 5)  # of half a minute

    def test_pythons_own_interrupt_handler_is_there_afterwards(self):
        handler = signal.getsignal(signal.SIGINT)
        mlsim.predict(**JOB)
        mlsim.sweep(**JOB)
        self.assertIs(signal.getsignal(signal.SIGINT), handler)
        with self.assertRaises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(5)

    def test_threads_ask_side_by_side(self):
        answers = [None] * 4

        def ask(i):
            answers[i] = mlsim.predict(**JOB)

        threads = [threading.Thread(target=ask, args=(i,)) for i in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(answers, [mlsim.predict(**JOB)] * 4)


class Sweep(unittest.TestCase):
    def test_columns_hold_what_the_program_writes(self):
        columns = mlsim.sweep(
            topology=["dgx-a100", "torus4x4"], workload="resnet50", accelerators=[4, 8],
            settings={"price": ["on-demand", "preemptible"]})
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "rows.jsonl")
            said_by_program(
                "sweep", "--topology", "dgx-a100,torus4x4", "--workload", "resnet50", "--accelerators", "4,8", "--set",
                "price=on-demand,preemptible", "--output", str(path))
            rows = [json.loads(line) for line in path.read_text().splitlines()]
        self.assertEqual(len(rows), 8)
        self.assertEqual({len(column) for column in columns.values()}, {8})
        self.assertEqual(columns["accelerators"], [4, 4, 8, 8] * 2)
        for i, row in enumerate(rows):
            for key, value in row.items():
                self.assertEqual(str(columns[key.replace("-", "_")][i]), str(value))
            missing = [key for key in columns if key not in {word.replace("-", "_") for word in row}]
            self.assertTrue(all(columns[key][i] is None for key in missing))

    def test_a_point_without_an_answer_is_a_row_that_says_why(self):
        columns = mlsim.sweep(**JOB, batch_per_accelerator=[32, 100000], as_is=True)
        self.assertEqual(columns["status"], ["answered", "refused"])
        self.assertIsNone(columns["reason"][0])
        self.assertRegex(columns["reason"][1], "fit")
        self.assertIsNone(columns["step_time_s"][1])

    def test_a_store_is_kept_where_it_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            store = os.path.join(folder, "kept.sqlite")
            first = mlsim.sweep(**JOB, output=store)
            self.assertEqual(os.listdir(folder), ["kept.sqlite"])
            self.assertEqual(mlsim.sweep(**JOB, output=store), first)
            with self.assertRaises(ValueError):
                mlsim.sweep(topology="dgx2", workload="resnet50", output=store)

    def test_wrong_words_are_value_errors(self):
        with self.assertRaisesRegex(ValueError, "did you mean"):
            mlsim.sweep(topology=["dgx-a100", "dgx-a10"], workload="resnet50")

    def test_pandas_takes_the_columns_as_they_are(self):
        try:
            import pandas
        except ImportError:
            self.skipTest("pandas is not installed")
        frame = pandas.DataFrame(mlsim.sweep(**{**JOB, "topology": ["dgx-a100", "torus4x4"]}, accelerators=[4, 8]))
        self.assertEqual(len(frame), 4)
        self.assertEqual(frame["step_time_s"].dtype, float)
        self.assertTrue((frame.groupby("topology")["used_accelerators"].max() == 8).all())


class Plan(unittest.TestCase):
    def test_it_answers_as_the_program(self):
        systems = ["dgx-a100", "p4d"]
        plan = mlsim.plan(
            workload="resnet50", topology=systems, accelerators=8, deadline="12h", budget=5000, confidence=90)
        program = said_by_program(
            "plan", "--workload", "resnet50", "--topology", "dgx-a100,p4d", "--accelerators", "8", "--deadline",
            "12h", "--budget", "5000", "--confidence", "90", "--format", "json")
        self.assertEqual(plan, json.loads(program))

    def test_wrong_words_are_value_errors(self):
        with self.assertRaisesRegex(ValueError, "--deadline"):
            mlsim.plan(workload="resnet50", deadline="soon")


class Example(unittest.TestCase):
    def test_the_notebook_gives_its_stored_output(self):
        folder = TREE / "examples" / "python"
        done = subprocess.run(
            [sys.executable, "capacity.py"], cwd=folder, capture_output=True, text=True, timeout=120)
        self.assertEqual(done.stderr, "")
        self.assertEqual(done.stdout, (folder / "expected.txt").read_text())


if __name__ == "__main__":
    unittest.main()
