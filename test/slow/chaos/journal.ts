import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * How often each call began and finished, as the tool itself wrote it down. Keys are
 * `callId:attempt`.
 */
export interface Journal {
  readonly begun: ReadonlyMap<string, number>
  readonly ended: ReadonlyMap<string, number>
}

export async function readJournal(folder: string): Promise<Journal> {
  const text = await readFile(join(folder, 'journal.txt'), 'utf8').catch(() => '')
  const begun = new Map<string, number>()
  const ended = new Map<string, number>()
  for (const line of text.split('\n')) {
    const [word, key = ''] = line.split(' ')
    const counts = word === 'begin' ? begun : ended
    if (key !== '') counts.set(callOf(key), (counts.get(callOf(key)) ?? 0) + 1)
  }
  return { begun, ended }
}

function callOf(key: string): string {
  return key.split(':')[0] ?? key
}
