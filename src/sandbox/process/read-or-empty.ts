import { readFileSync } from 'node:fs'

/** The text of a file of the kernel; empty when it is gone, as those of ended processes are. */
export function readOrEmpty(path: string, encoding: 'utf8' | 'latin1' = 'utf8'): string {
  try {
    return readFileSync(path, encoding)
  } catch {
    return ''
  }
}
