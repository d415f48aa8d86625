import { realpathSync } from 'node:fs'
import { delimiter, join, relative } from 'node:path'
import { processEnvironment } from '#runtime/environment.ts'
import { checkoutFolder, isPackage } from '#runtime/folders.ts'

/**
 * The command as people can type it in a folder: "countersign" if it is on the PATH, else with npx,
 * else the path of the checkout's file.
 */
export function ownCommandIn(folder: string): string {
  const name = installedCommand()
  if (name !== null) return name
  const path = relative(folder, program)
  return path.startsWith('../../..') ? program : path
}

/**
 * The command for the dashboard, whose readers may be on another host: for a checkout, the path
 * inside the checkout.
 */
export function commandForReaders(): string {
  return installedCommand() ?? relative(checkoutFolder, program)
}

const program = join(checkoutFolder, 'bin', 'countersign')

/** The command that works in every folder of this host; null: only the checkout's file does. */
function installedCommand(): string | null {
  const environment = processEnvironment()
  if (environment['npm_command'] === 'exec') return 'npx countersign'
  const folders = (environment['PATH'] ?? '').split(delimiter)
  const commands = folders.map((folder) => realPath(join(folder, 'countersign')))
  if (isPackage) return commands.some((path) => path !== null) ? 'countersign' : 'npx countersign'
  return commands.includes(realPath(program)) ? 'countersign' : null
}

function realPath(path: string): string | null {
  try {
    return realpathSync(path)
  } catch {
    return null
  }
}
