"""Stands in for a source package's build tool, so that pip only downloads it and runs nothing of it.

Before pip saves a source package it asks the package's build tool for metadata. This one hands over the
metadata that the package already carries."""

import email
import os
import shutil


def prepare_metadata_for_build_wheel(folder, settings=None):
    with open("PKG-INFO", encoding="utf-8") as file:
        about = email.message_from_file(file)
    name = f"{about['Name'].replace('-', '_')}-{about['Version']}.dist-info"
    os.mkdir(os.path.join(folder, name))
    shutil.copy("PKG-INFO", os.path.join(folder, name, "METADATA"))
    return name
