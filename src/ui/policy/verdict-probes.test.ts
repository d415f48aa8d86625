import { expect, test } from 'vitest'
import { verdictProbes } from './verdict-probes.ts'

test.each(['docs/1.2.md', 'docs/Release notes.md', 'Release notes.md', 'my folder/x', './a b'])(
  '%s is judged as a path and as a command',
  (text) => {
    const probes = verdictProbes(text)
    expect(probes.map(({ tool }) => tool)).toEqual([
      'read_file',
      'write_file',
      'delete_file',
      'shell',
    ])
    expect(probes[1]?.input).toEqual({ path: text, content: '' })
    expect(probes[3]?.input).toEqual({ command: text })
  },
)

test.each(['git push', 'npm install left-pad@1.3.0', 'rm -rf data', ''])(
  'no path is made of “%s”',
  (text) => {
    expect(verdictProbes(text).filter(({ tool }) => tool !== 'shell')).toEqual([])
  },
)
