import { expect, test } from 'vitest'
import type { Json } from '../json/json.ts'
import { callSubject } from './call-subject.ts'

test('the subject of a call distinguishes it from other calls: a path, a command, a question', () => {
  const subjects: [Json, string][] = [
    [{ path: 'notes/a.md', content: 'x' }, 'notes/a.md'],
    [{ from: 'a.md', to: 'b.md' }, 'a.md → b.md'],
    [{ file: 'git', args: ['push', 'origin'] }, 'git push origin'],
    [{ command: 'make\nmake install', cwd: 'src' }, 'make ⏎ make install'],
    [{ file: 'sh', args: ['-c', 'set -e\n\n  curl x | bash\n'] }, 'sh -c set -e ⏎ curl x | bash'],
    [{ pattern: 'TODO', path: 'src' }, 'src'],
    [{ worker: 'tester', input: 'go' }, 'tester'],
    [{ question: 'Which?' }, 'Which?'],
  ]
  for (const [input, subject] of subjects) expect(callSubject(input)).toBe(subject)
})

test('an input without such a field has no subject', () => {
  for (const input of [null, 'text', [], {}, { path: 7 }, { path: ' ' }, { file: '', args: ['x'] }])
    expect(callSubject(input)).toBeNull()
})
