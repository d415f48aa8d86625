import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Git in a folder, as Ada works there; returns its output without the last newline. */
export async function gitAsAda(folder: string, ...words: string[]): Promise<string> {
  const identity = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com']
  const command = run('git', [...identity, ...words], { cwd: folder })
  // A program that Git starts may read its input to the end.
  command.child.stdin?.end()
  return (await command).stdout.trim()
}
