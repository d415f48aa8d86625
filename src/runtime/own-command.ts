import { existsSync, realpathSync } from 'node:fs'
import { delimiter, dirname, join, relative, sep } from 'node:path'
import { processEnvironment } from '#runtime/environment.ts'
import { checkoutFolder, isPackage } from '#runtime/folders.ts'

const withNpx = 'npx countersign'

/**
 * The command as people can type it in a folder: "countersign" if it is on the PATH, else with npx
 * where npx finds this installation, else the path of the file that starts it.
 */
export function ownCommandIn(folder: string): string {
  const name = installedCommand()
  if (name !== null && (name !== withNpx || isFoundByNpx(folder))) return name
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

/**
 * Whether npx takes the command from an installation and not from the registry: one in the folder,
 * or in the closest folder above that is a package. npx finds what it loaded itself everywhere.
 */
function isFoundByNpx(folder: string): boolean {
  if (checkoutFolder.includes(`${sep}_npx${sep}`)) return true
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, 'node_modules', '.bin', 'countersign'))) return true
    if (existsSync(join(at, 'package.json')) || at === dirname(at)) return false
  }
}

/** The name of the command on this host; null: only the path of the checkout's file starts it. */
function installedCommand(): string | null {
  const environment = processEnvironment()
  if (environment['npm_command'] === 'exec') return withNpx
  const folders = (environment['PATH'] ?? '').split(delimiter)
  const commands = folders.map((folder) => realPath(join(folder, 'countersign')))
  if (isPackage) return commands.some((path) => path !== null) ? 'countersign' : withNpx
  return commands.includes(realPath(program)) ? 'countersign' : null
}

function realPath(path: string): string | null {
  try {
    return realpathSync(path)
  } catch {
    return null
  }
}
