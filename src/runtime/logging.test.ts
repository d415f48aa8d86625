import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const logging = join(import.meta.dirname, 'logging.ts')
const script = `
import { createLog } from ${JSON.stringify(logging)}
const log = createLog('api', 'info')
const error = Object.assign(new TypeError('no such column:\\n    at the words of a person'), { code: '42703' })
log.warn({ runId: 'r1', err: error }, 'tried again')
log.warn({ runId: 'r2', error }, 'tried again')
log.debug('below the level')
`

// Rules: security.md 25
test('a line of the log has ids and where an error came from, never what its message quotes', async () => {
  const args = ['--input-type=module', '--eval', script]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
  expect(lines).toHaveLength(2)
  expect(lines[0]).toMatchObject({ name: 'api', level: 'warn', runId: 'r1', msg: 'tried again' })
  for (const [line, key] of [
    [lines[0], 'err'],
    [lines[1], 'error'],
  ] as const) {
    expect(line?.[key]).toMatchObject({ type: 'TypeError', code: '42703' })
    expect(JSON.stringify(line?.[key])).toMatch(/at /)
  }
  expect(stdout).not.toContain('words of a person')
})

const speaking = `
import { createLog } from ${JSON.stringify(logging)}
const log = createLog('api', 'info')
for (let line = 0; line < 3000; line += 1) log.info({ line }, 'x'.repeat(1000))
await new Promise((resolve) => setTimeout(resolve, 50))
log.info({}, 'again')
console.error('goes on')
process.exit(0)
`

// Every line that the API and the workers say is on the disk of their data folder.
test('a process that cannot write to its log because the disk is full continues', async () => {
  const args = [
    '-c',
    'exec "$0" --input-type=module --eval "$1" > /dev/full',
    process.execPath,
    speaking,
  ]
  const { stderr } = await promisify(execFile)('sh', args)
  expect(stderr).toBe('goes on\n')
})
