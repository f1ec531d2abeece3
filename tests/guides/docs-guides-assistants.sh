# shellcheck shell=bash
# `handbook` is begun as the page tells; `hr`, of which it speaks later, is there from the start.
assistant handbook
export HR_SECRET=secret-of-the-assistant-hr
printf '\n[assistants.hr]\nsecret_env = "HR_SECRET"\n\n[assistants.hr.documents]\nfolder = "handbook"\n' >>citewire.toml
