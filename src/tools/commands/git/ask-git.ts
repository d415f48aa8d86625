import { commandLimits } from '#sandbox/process/command-limits.ts'
import type { CommandEnd } from '#sandbox/process/command-end.ts'
import type { HostSandbox } from '#sandbox/bwrap/find-sandbox.ts'
import { runSandboxed } from '#sandbox/bwrap/run-sandboxed.ts'
import { readOnlyPlan, type SandboxPlan } from '#sandbox/bwrap/sandbox-plan.ts'

/** Options with which Git starts no program and loads no object that a repository names. */
export const gitOptions = "-c 'safe.directory=*' -c core.fsmonitor=false -c protocol.allow=never"

const gitLimits = { timeoutMs: 30_000, answerMib: 64 }

/**
 * Ends a script where Git is missing or does not work in the folder: then it does not work for the
 * command either. Fails where that is unclear.
 */
export const onlyInRepository = `set -o pipefail
g rev-parse --git-dir > /tmp/answer 2>&1
code=$?
case $code in 0) ;; 127 | 128) exit 0 ;; *) exit "$code" ;; esac
`

/**
 * Writes what Git has at `paths` to `/tmp/all`, as `ls-files -t --stage -z` prints it: the entries
 * of the index or, where the whole index is empty or missing, those of the newest commit. Otherwise
 * a command that commits everything would commit the removal of the files that it does not see. An
 * entry that somebody removed from an index with other entries stays removed.
 */
export const listEntries = `g ls-files -t --stage -z -- "\${paths[@]}" > /tmp/all || exit 1
top=$(g rev-parse --show-toplevel) && g -C "$top" ls-files > /tmp/index || exit 1
if [ ! -s /tmp/index ] && g rev-parse -q --verify 'HEAD^{tree}' > /tmp/answer 2>&1; then
  g ls-tree -r -z HEAD -- "\${paths[@]}" > /tmp/commit || exit 1
  while IFS= read -r -d '' entry; do
    read -r mode type hash <<< "\${entry%%$'\\t'*}"
    printf 'H %s %s 0\\t%s\\0' "$mode" "$hash" "\${entry#*$'\\t'}"
  done < /tmp/commit > /tmp/all
fi
`

/** Why an answer of Git is not whole, as the end of a sentence; `null`: it is. */
export function problemOfAnswer(end: CommandEnd): string | null {
  if (end.exceeded !== null) return `Git's answer about it ended early: ${end.exceeded}`
  if (end.timedOut) return `Git needs more than ${gitLimits.timeoutMs / 1000} seconds for its files`
  if (end.exitCode === 0) return null
  const errorText = end.stderr.bytes.subarray(0, 300).toString('utf8').trim()
  return `Git cannot read what it has in it: ${errorText || `it ended with ${end.exitCode}`}`
}

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
