import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

// Rules: security.md 24
test('a bound that is set holds where it is checked, in the sentence too, and the others stay', async () => {
  // Bounds are read once, when the module loads: only a process of its own reads others.
  const program = `
    import { limits } from '#domain/limits.ts'
    import { textDoubts } from '#policy/shell/text/odd-text.ts'
    const doubts = [1025, 1024].map((bytes) => textDoubts('x'.repeat(bytes)))
    console.log(JSON.stringify({ limits, doubts }))`
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--input-type=module', '--eval', program],
    {
      cwd: import.meta.dirname,
      env: {
        ...process.env,
        COUNTERSIGN_LIMITS: 'editsPerCall=2, scriptBytes=1024 delegationDepth=1',
      },
    },
  )
  expect(JSON.parse(stdout)).toEqual({
    limits: expect.objectContaining({ editsPerCall: 2, delegationDepth: 1, callsPerTurn: 100 }),
    doubts: [['it has 1025 bytes, more than 1 KiB'], []],
  })
})
