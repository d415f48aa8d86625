import { readdirSync, readFileSync } from 'node:fs'

/**
 * Ids of the processes of this machine with these words, one after the other, in their command
 * line.
 */
export function processesNaming(...words: readonly string[]): string[] {
  const commandLine = words.join('\0')
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(commandLine)
      } catch {
        return false
      }
    })
}
