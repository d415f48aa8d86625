import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ProcessName, Surroundings } from '../../harness/installation/installation.ts'
import { DisturbedWay } from './disturbed-way.ts'
import { SmallDisk } from '../../harness/outages/small-disk.ts'

/**
 * What chaos puts around an installation: disturbed ways to its servers, clocks that can be set, a
 * disk that can be filled.
 */
export class ChaosSurroundings implements Surroundings, AsyncDisposable {
  readonly env: Readonly<Record<string, string>>
  readonly ways: Readonly<Record<'postgres' | 'temporal', DisturbedWay>>
  /** `null`: mounting is not permitted here */
  disk: SmallDisk | null = null
  readonly #own: string
  readonly #clocks: Record<string, number> = {}
  #dataDir = ''

  static async make(): Promise<ChaosSurroundings> {
    const own = await mkdtemp(join(tmpdir(), 'countersign-chaos-'))
    let found: ChaosSurroundings | null = null
    const find = (name: 'postgres' | 'temporal') => async (): Promise<string> =>
      (await found?.addressOf(name)) ?? ''
    const ways = {
      postgres: await DisturbedWay.to(find('postgres')),
      temporal: await DisturbedWay.to(find('temporal')),
    }
    found = new ChaosSurroundings(own, ways)
    const ports = { postgres: ways.postgres.port, temporal: ways.temporal.port }
    await writeFile(join(own, 'ways.json'), JSON.stringify(ports))
    return found
  }

  private constructor(own: string, ways: ChaosSurroundings['ways']) {
    this.#own = own
    this.ways = ways
    const preload = new URL('disturbed-process.ts', import.meta.url).href
    this.env = { CHAOS_FOLDER: own, NODE_OPTIONS: `--import ${preload}` }
  }

  async prepare(folder: string): Promise<AsyncDisposable> {
    this.#dataDir = join(folder, '.countersign')
    this.disk = await SmallDisk.at(this.#dataDir)
    const { disk } = this
    return { [Symbol.asyncDispose]: async () => disk?.[Symbol.asyncDispose]() }
  }

  /** Where the installation's own server listens, as its files say. */
  async addressOf(name: 'postgres' | 'temporal'): Promise<string> {
    if (name === 'temporal') {
      return (await readFile(join(this.#dataDir, 'run', 'temporal.address'), 'utf8')).trim()
    }
    const ports = JSON.parse(await readFile(join(this.#dataDir, 'ports.json'), 'utf8')) as {
      postgres: number
    }
    return `127.0.0.1:${ports.postgres}`
  }

  /** From now on the clock of a process is off by so much. One at a time. */
  async setClock(name: ProcessName, offsetMs: number): Promise<void> {
    this.#clocks[name] = offsetMs
    const file = join(this.#own, 'clocks.json')
    const text = JSON.stringify(this.#clocks)
    await writeFile(`${file}.next`, text)
    await rename(`${file}.next`, file)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const way of Object.values(this.ways)) await way[Symbol.asyncDispose]()
    await rm(this.#own, { recursive: true, force: true })
  }
}
