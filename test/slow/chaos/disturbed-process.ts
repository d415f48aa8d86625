import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isMainThread } from 'node:worker_threads'

/**
 * Loaded by `--import` into each Node process of the installation that chaos works on, before
 * anything else. The API and the Temporal worker reach their servers by the disturbed ways, and
 * their clocks are off by what `clocks.json` says.
 */
const folder = process.env['CHAOS_FOLDER'] ?? ''
const name = process.argv[2] ?? ''

if (folder !== '' && ['api', 'temporal-worker'].includes(name)) {
  if (isMainThread) takeDisturbedWays()
  shiftClock()
}

function takeDisturbedWays(): void {
  const ways = JSON.parse(readFileSync(join(folder, 'ways.json'), 'utf8')) as {
    postgres: number
    temporal: number
  }
  const url = new URL(process.env['DATABASE_URL'] ?? '')
  url.port = `${ways.postgres}`
  process.env['DATABASE_URL'] = url.href
  process.env['TEMPORAL_ADDRESS'] = `127.0.0.1:${ways.temporal}`
}

function shiftClock(): void {
  const real = Date
  let offsetMs = readOffset()
  const now = (): number => real.now() + offsetMs
  globalThis.Date = new Proxy(real, {
    construct: (target, args: [], made) =>
      Reflect.construct(target, args.length === 0 ? [now()] : args, made) as object,
    apply: () => new real(now()).toString(),
    get: (target, key, receiver): unknown =>
      key === 'now' ? now : Reflect.get(target, key, receiver),
  })
  setInterval(() => {
    offsetMs = readOffset()
  }, 100).unref()
}

/** Of a file that is being replaced at this moment, none. */
function readOffset(): number {
  try {
    const offsets = JSON.parse(readFileSync(join(folder, 'clocks.json'), 'utf8')) as Record<
      string,
      number
    >
    return offsets[name] ?? 0
  } catch {
    return 0
  }
}
