import { realpathSync } from 'node:fs'
import { delimiter, join, relative } from 'node:path'
import { type Environment, processEnvironment } from '#runtime/environment.ts'
import { checkoutFolder, isPackage } from '#runtime/folders.ts'

/**
 * How people start this command from here, as they can type it: "countersign" where the PATH has
 * it, else with npx, else the path of the checkout's file.
 */
export function ownCommand(environment: Environment = processEnvironment()): string {
  if (environment['npm_command'] === 'exec') return 'npx countersign'
  const folders = (environment['PATH'] ?? '').split(delimiter)
  if (isPackage) {
    return folders.some((folder) => realPath(join(folder, 'countersign')) !== null)
      ? 'countersign'
      : 'npx countersign'
  }
  const program = join(checkoutFolder, 'bin', 'countersign')
  if (folders.some((folder) => realPath(join(folder, 'countersign')) === realPath(program))) {
    return 'countersign'
  }
  const path = relative(process.cwd(), program)
  return path.startsWith('../../..') ? program : path
}

function realPath(path: string): string | null {
  try {
    return realpathSync(path)
  } catch {
    return null
  }
}
