import { readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import {
  processNames,
  type Installation,
  type ProcessName,
} from '../../harness/installation/installation.ts'
import type { Choices } from '../../shell/seeded.ts'
import type { ChaosSurroundings } from './surroundings.ts'

/**
 * kill -9; SIGSTOP and SIGCONT; connections that break off, stand still or are slow; a wrong clock;
 * a full disk.
 */
export const faultKinds = ['kill', 'stop', 'lost', 'stall', 'slow', 'clock', 'disk'] as const
export type FaultKind = (typeof faultKinds)[number]

const noProcess = { postgres: 0, temporal: 0, api: 0, 'temporal-worker': 0 }
/** Sessions and permits outlive it. */
const maxOffMs = 10 * 60_000

/** Does to an installation what machines and networks do, and counts it. */
export class FaultInjector {
  readonly #installation: Installation
  readonly #around: ChaosSurroundings
  readonly #turns = new Map<string, Promise<unknown>>()
  readonly killed: Record<ProcessName, number> = { ...noProcess }
  readonly counts: Record<FaultKind, number> = {
    kill: 0,
    stop: 0,
    lost: 0,
    stall: 0,
    slow: 0,
    clock: 0,
    disk: 0,
  }

  constructor(installation: Installation, around: ChaosSurroundings) {
    this.#installation = installation
    this.#around = around
  }

  /** How often the supervisor saw each process end. */
  get ended(): Record<ProcessName, number> {
    const counted = { ...noProcess }
    for (const line of this.#installation.lines) {
      const [, name] = /^([a-z-]+) ended [(]code/.exec(line) ?? []
      if (name !== undefined && Object.hasOwn(counted, name)) counted[name as ProcessName] += 1
    }
    return counted
  }

  /**
   * Waits for its turn, runs `approach` up to the awkward moment and kills the victim there.
   * Returns what `approach` left running; the next one has its turn when the victim is back.
   */
  async killAt<T>(victim: ProcessName, approach: () => Promise<T>): Promise<T> {
    const killing = this.#inTurn('kill', async () => {
      const result = await approach()
      const gone = await this.#installation.killNine(victim)
      this.killed[victim] += 1
      this.counts.kill += 1
      return { result, back: this.#installation.untilBack(victim, gone) }
    })
    void this.#inTurn('kill', async () => (await killing).back)
    return (await killing).result
  }

  /** Anything but a kill, of the choices of `choose`; resolves when it is over. */
  async disturb(kind: Exclude<FaultKind, 'kill'>, choose: Choices): Promise<void> {
    const way = this.#around.ways[choose.one(['postgres', 'temporal'] as const)]
    switch (kind) {
      case 'stop':
        await this.#stop(choose.one(processNames), 100 + choose.number(1500))
        break
      case 'lost':
        way.reset()
        break
      case 'stall':
        await way.stall(200 + choose.number(2500))
        break
      case 'slow':
        await way.slow(20 + choose.number(130), 500 + choose.number(2500))
        break
      case 'clock':
        await this.#inTurn('clock', () =>
          this.#around.setClock(
            choose.one(['api', 'temporal-worker']),
            choose.number(2 * maxOffMs) - maxOffMs,
          ),
        )
        break
      case 'disk':
        await this.#inTurn('disk', async () => this.#around.disk?.fill(100 + choose.number(1200)))
        break
    }
    this.counts[kind] += 1
  }

  /** Stops a process and those that it started, and lets them continue. */
  async #stop(name: ProcessName, forMs: number): Promise<void> {
    await this.#inTurn(name, async () => {
      const pid = await this.#installation.pidOf(name).catch(() => 0)
      const all = pid === 0 ? [] : [pid, ...(await childrenOf(pid))]
      for (const one of all) signal(one, 'SIGSTOP')
      await delay(forMs)
      for (const one of all) signal(one, 'SIGCONT')
    })
  }

  #inTurn<T>(what: string, work: () => Promise<T>): Promise<T> {
    const before = this.#turns.get(what) ?? Promise.resolve()
    const turn = before.then(work)
    // Whoever has the next turn fails with this one; after the last nobody need.
    turn.catch(() => undefined)
    this.#turns.set(what, turn)
    return turn
  }
}

async function childrenOf(pid: number): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '')
  return text.trim().split(' ').filter(Boolean).map(Number)
}

/** One that is gone meanwhile needs none. */
function signal(pid: number, name: 'SIGSTOP' | 'SIGCONT'): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
