import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

/**
 * A process with much garbage. Prints how much of its heap is left when half of it has gone, or
 * after a while. With `rest` it then does nothing, with `work` half of the time; it collects unless
 * its third argument is `no`.
 */
const program = `
import { getHeapStatistics } from 'node:v8'
const { collectAtRest } = await import(process.argv[1])
const heap = () => getHeapStatistics().total_heap_size
let garbage = Array.from({ length: 600_000 }, (_, at) => ({ at, text: 'number ' + at }))
const full = heap()
garbage = null
if (process.argv[3] !== 'no') collectAtRest(100)
if (process.argv[2] === 'work') setInterval(() => {
  const until = performance.now() + 20
  while (performance.now() < until);
}, 40)
const until = performance.now() + Number(process.argv[4])
while (heap() > full / 2 && performance.now() < until) await new Promise((go) => setTimeout(go, 50))
process.stdout.write(String(heap() / full), () => process.exit(0))
`

async function partLeft(does: 'rest' | 'work', collects: 'yes' | 'no', withinMs: number) {
  const file = new URL('./collect-at-rest.ts', import.meta.url).href
  const argv = ['--input-type=module', '-e', program, file, does, collects, String(withinMs)]
  const { stdout } = await promisify(execFile)(process.execPath, argv)
  return Number(stdout)
}

test('a process that rests gives back the memory of what it no longer uses; one that works is not stopped', async () => {
  expect(await partLeft('rest', 'yes', 60_000)).toBeLessThan(0.5)
  expect(await partLeft('rest', 'no', 1000)).toBeGreaterThan(0.5)
  expect(await partLeft('work', 'yes', 1000)).toBeGreaterThan(0.5)
}, 120_000)
