import type { FaultWorld } from './fault-world.ts'

/**
 * What the tools of the fault project wrote down: how often each call began, heard that it is to
 * stop, and finished.
 */
export interface Journal {
  readonly begun: number
  readonly told: number
  readonly ended: number
  readonly pids: readonly number[]
}

/** The journal's lines of one call. */
export async function journalOf(world: FaultWorld, callId: string): Promise<Journal> {
  const lines = ((await world.read('journal.txt')) ?? '').split('\n').map((line) => line.split(' '))
  const own = lines.filter(([, key = '']) => key.startsWith(`${callId}:`))
  const count = (word: string): number => own.filter(([is]) => is === word).length
  const pids = own.map(([, , pid]) => Number(pid))
  return {
    begun: count('begin'),
    told: count('told'),
    ended: count('end'),
    pids: [...new Set(pids)],
  }
}
