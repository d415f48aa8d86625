import { expect, test } from 'vitest'
import { noteSigner } from '#test/harness/evidence/fixed-log.ts'
import { logFileNames, logPartNames, partPath } from '../bundle/log-files.ts'
import { treeRoot } from '../merkle/tree-of-leaves.ts'
import { formatCheckpoint } from '../note/checkpoint.ts'
import { formatNote, signText } from '../note/signed-note.ts'
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

// Rules: security.md 13
test('a checkpoint of somebody else, of a tree for which there is no memory, fails a verdict', () => {
  const other = noteSigner(key.name)
  const [size, root] = [Number.MAX_SAFE_INTEGER, treeRoot([])]
  const text = formatCheckpoint({ origin: key.name, size, root, extensions: [] })
  const note = formatNote({ text, signatures: [signText(text, other)] })
  const problems = problemsOf(logFileNames.checkpoint, note)
  expect(problems).toContain(`The checkpoint is not signed by ${key.name}`)
  expect(problems).toContain('there is no checkpoint to compare the events with')
})
