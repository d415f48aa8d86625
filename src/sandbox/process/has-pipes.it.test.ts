import { expect, test } from 'vitest'
import { withoutDescriptors } from '#test/harness/outages/without-descriptors.ts'

const run = `argv: ['true'], timeoutMs: 1000, signal: new AbortController().signal,
  limits: (await import('#sandbox/process/command-limits.ts')).commandLimits`
const plan = `{ zones: [], readOnly: [], pinned: [], covered: [], emptied: [], copies: [], cwd: '/',
  cwdIdentity: null }`

// Rules: security.md 42
test.each([
  [
    'a command in a sandbox',
    'bwrap/run-sandboxed.ts',
    `runSandboxed({ ...run, bwrap: 'bwrap', launch: [], folders: [], network: 'none', plan: ${plan} })`,
    'SandboxFailed: The command was not begun: too many files are open.',
  ],
  [
    'a command without one',
    'unconfined/run-unconfined.ts',
    `runUnconfined({ ...run, cwd: '/', mark: 'mark' })`,
    'SandboxFailed: The command was not begun: too many files are open.',
  ],
  [
    'Git',
    'worktrees/host-git.ts',
    `runGit(['version'], ['version'], { environment: {}, timeoutMs: 1000 })`,
    'Error: git version could not be started: too many files are open',
  ],
  [
    'what gives a sandbox its network',
    'bwrap/reachable-network.ts',
    'leaveOnlyPublic(1)',
    'Error: too many files are open',
  ],
])(
  'where no file descriptor is free, %s is refused, and the process goes on',
  (_what, file, call, failure) => {
    const name = call.slice(0, call.indexOf('('))
    const imports = `import { ${name} } from '#sandbox/${file}'\nconst run = { ${run} }`
    expect(withoutDescriptors(imports, `await ${call}`)).toBe(failure)
  },
)
