import { commandLimits } from '#sandbox/process/command-limits.ts'
import type { CommandEnd } from '#sandbox/process/command-end.ts'
import type { HostSandbox } from '#sandbox/bwrap/find-sandbox.ts'
import { runSandboxed } from '#sandbox/bwrap/run-sandboxed.ts'
import { readOnlyPlan, type SandboxPlan } from '#sandbox/bwrap/sandbox-plan.ts'

/** Options with which Git starts no program and loads no object that a repository names. */
export const gitOptions = "-c 'safe.directory=*' -c core.fsmonitor=false -c protocol.allow=never"

export const gitLimits = { timeoutMs: 30_000, answerMib: 64 }

const literalGit = `g() { git --literal-pathspecs ${gitOptions} "$@"; }\n`

/**
 * Runs a script of bash that asks Git, as its function `g`, in a folder of a plan: in a sandbox
 * where nothing can be written, and without the plan's copies. `$1` and so on are `words`. Ends
 * the script at the `gitLimits`.
 */
export function askGit(
  sandbox: HostSandbox & { readonly works: true },
  plan: SandboxPlan,
  call: { readonly script: string; readonly cwd: string; readonly words: readonly string[] },
  signal: AbortSignal,
): Promise<CommandEnd> {
  const { script, cwd, words } = call
  const text = `${literalGit}${script}`
  return runSandboxed({
    ...sandbox,
    plan: { ...readOnlyPlan(plan), copies: [], cwd, cwdIdentity: null },
    argv: ['/bin/bash', '--norc', '--noprofile', '-p', '-c', text, 'bash', ...words],
    timeoutMs: gitLimits.timeoutMs,
    limits: { ...commandLimits, outputBytes: gitLimits.answerMib * 1024 * 1024 },
    network: 'none',
    signal,
  })
}
