"""Build hook: the wheel brings man pages, which the program itself makes from the manual and from its --help."""

import os
import shutil
import subprocess
import sys
import tempfile

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class ManPages(BuildHookInterface):
    def initialize(self, version, build_data):
        self.folder = tempfile.mkdtemp()
        path = os.pathsep.join(filter(None, [os.path.join(self.root, "src"), os.environ.get("PYTHONPATH")]))
        environment = os.environ | {"PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
        command = [sys.executable, "-m", "gradcli", "help", "--man", self.folder]
        subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)
        for section in ("man1", "man7"):
            build_data["shared_data"][os.path.join(self.folder, section)] = f"share/man/{section}"

    def finalize(self, version, build_data, artifact_path):
        shutil.rmtree(self.folder)
