import { spawn } from 'node:child_process'
import type { DeferredSession } from '../waiting/deferred-sessions.ts'

/**
 * Continues a session in print mode, in its folder and permission mode, and resolves with the exit
 * code. Rejects if the program cannot be started. No shell reads the words.
 */
export function runClaude(
  { folder, permissionMode, sessionId }: DeferredSession,
  of: { readonly program: string; readonly words: readonly string[]; readonly output: number },
): Promise<number> {
  const words = ['-p', '--resume', sessionId, '--permission-mode', permissionMode, ...of.words]
  const child = spawn(of.program, words, { cwd: folder, stdio: ['ignore', of.output, 2] })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => resolve(code ?? 1))
  })
}
