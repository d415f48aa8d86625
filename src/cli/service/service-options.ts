import type { Command } from 'commander'
import { type FolderOptions, withFolders } from '../commands/folder-options.ts'

export interface ServiceOptions extends FolderOptions {
  url?: string
  as?: string
}

/** The options of every command that asks the running service. */
export function withService(command: Command): Command {
  return withFolders(command)
    .option('--url <url>', 'the service to ask (default: the one of the data folder)')
    .option('--as <email>', 'act as this person; on the machine itself, in the development profile')
}
