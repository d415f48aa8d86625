import { expect, test } from 'vitest'
import { noteSigner } from '#test/harness/evidence/fixed-log.ts'
import { logPartNames, partPath } from '../bundle/log-files.ts'
import { verifyLog } from './verify-log.ts'

const { key } = noteSigner('countersign/log')

/** The problems of an export that has only this file. */
function problemsOf(path: string, text: string): string[] {
  const read = (name: string) => (name === path ? Buffer.from(text) : null)
  const verdicts = verifyLog({ read }, key, null)
  return verdicts.flatMap(({ findings }) => findings.map(({ problem }) => problem))
}

/** Lines that are JSON as an export writes it, and of no form that any file of it has. */
const hostileLines = {
  nothing: 'null',
  'a number': '1',
  'an object without a text': '{"toString":1,"valueOf":1}',
  'lists in lists': `${'['.repeat(1000)}${']'.repeat(1000)}`,
}

// An export without a checkpoint does not need its older checkpoints.
const { checkpoints: _, ...others } = logPartNames

// Rules: security.md 13
test.each(Object.entries(hostileLines))(
  'a line that is %s fails a verdict, whatever its file',
  (_what, line) => {
    const without = problemsOf('', '').length
    for (const name of Object.values(others)) {
      const problems = problemsOf(partPath(name, 0), `${line}\n`)
      expect(problems.length, name).toBeGreaterThan(without)
    }
  },
)
