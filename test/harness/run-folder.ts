import { accessSync, chmodSync, constants, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { hasRoomInMemory, inMemory, removeAbandoned } from './memory-folder.ts'

/** Short: the paths of sockets below it have a limit. */
const prefix = 'cs-run-'
const hourMs = 60 * 60_000

/**
 * Makes the folder for the temporary files of this run of the tests, in memory, and removes it when
 * this process ends. `null` where there is too little room, or where programs may not run: then
 * they are where the system has them.
 */
export function makeRunFolder(): string | null {
  if (!hasRoomInMemory()) return null
  removeAbandoned(prefix, hourMs, (pid) => !isProcess(Number(pid)))
  const folder = join(inMemory, `${prefix}${process.pid}`)
  mkdirSync(folder, { recursive: true })
  // Postgres runs as another user when we are root.
  chmodSync(folder, 0o1777)
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  return mayRunProgramsIn(folder) ? folder : null
}

function mayRunProgramsIn(folder: string): boolean {
  const program = join(folder, 'program')
  writeFileSync(program, '', { mode: 0o700 })
  try {
    accessSync(program, constants.X_OK)
    return true
  } catch {
    return false
  } finally {
    rmSync(program)
  }
}

function isProcess(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}
