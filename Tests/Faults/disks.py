"""Small file systems to fill up or to cut the power of, each undone by the device and path it got."""

import contextlib
import os
import shutil
import subprocess
import sys
import time

import common

CANNOT = 77  # exit status of a part that this user or machine cannot run


def cannot(name, reason):
    """Says that nothing was shown. Never a success: whoever may pass it over looks at the status."""
    print(f"not run ({reason}): {name}", flush=True)
    sys.exit(CANNOT)


def require_mounts(name):
    """Ends the program where nothing can be mounted."""
    if os.geteuid() != 0:
        cannot(name, "needs root")
    directory = common.temporary_directory("mount")
    try:
        with MemoryDisk(directory, "64k"):
            pass
    except (OSError, subprocess.CalledProcessError):
        cannot(name, "needs a machine where root may mount")
    finally:
        shutil.rmtree(directory, ignore_errors=True)


def system(*words):
    return subprocess.run(words, check=True, capture_output=True, text=True, timeout=60).stdout.strip()


class Disk:
    """A mounted file system; `with` unmounts it whatever happens."""

    def __init__(self, directory):
        self.path = os.path.join(directory, "disk")
        self.is_mounted = False

    def __enter__(self):
        os.makedirs(self.path, mode=0o700, exist_ok=True)
        try:
            self.prepare()
            self.mount()
            os.chmod(self.path, 0o755)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        if self.is_mounted:
            self.unmount()
        self.release()

    def prepare(self):
        pass

    def release(self):
        pass

    def unmount(self):
        for attempt in range(50):
            try:
                system("umount", self.path)
                break
            except subprocess.CalledProcessError:
                if attempt == 49:
                    raise
                time.sleep(0.05)
        self.is_mounted = False

    def fill(self, name="filler"):
        """Writes until not one byte more goes on the disk."""
        with open(os.path.join(self.path, name), "ab", buffering=0) as filler:
            for size in (65536, 4096, 512, 1):
                try:
                    while filler.write(b"x" * size):
                        pass
                except OSError:
                    pass


    def empty(self, name="filler"):
        """Gives the room back."""
        path = os.path.join(self.path, name)
        if os.path.exists(path):
            os.remove(path)

    @contextlib.contextmanager
    def emptied_at_last(self):
        """Whoever still wants to save something comes to its end."""
        try:
            yield
        finally:
            self.empty()


class MemoryDisk(Disk):
    """A tmpfs, full after so many bytes also for root."""

    def __init__(self, directory, size):
        super().__init__(directory)
        self.size = size

    def mount(self):
        system("mount", "-t", "tmpfs", "-o", f"size={self.size}", "tmpfs", self.path)
        self.is_mounted = True


class LoopDisk(Disk):
    """An ext4 in a file, on a loop device of its own."""

    def __init__(self, directory, megabytes):
        super().__init__(directory)
        self.image = os.path.join(directory, "disk.img")
        self.megabytes = megabytes
        self.device = None

    def prepare(self):
        with open(self.image, "wb") as image:
            image.truncate(self.megabytes << 20)
        system("mkfs.ext4", "-q", "-F", self.image)
        self.device = system("losetup", "--find", "--show", self.image)

    def mount(self):
        system("mount", self.device, self.path)
        self.is_mounted = True

    def release(self):
        if self.device:
            system("losetup", "--detach", self.device)
            self.device = None
