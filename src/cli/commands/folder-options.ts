import type { Command } from 'commander'

export type FolderOptions = { project?: string; data?: string }

/** `--project` and `--data`, which every command takes. */
export function withFolders(command: Command): Command {
  return command
    .option('--project <dir>', 'the project folder (default: the working directory)')
    .option('--data <dir>', 'the data folder (default: .countersign in the project folder)')
}
