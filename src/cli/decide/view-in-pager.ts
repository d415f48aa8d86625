import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { processEnvironment, readText } from '#runtime/environment.ts'

/**
 * Shows a text in the person's pager (`PAGER`) or in `less`, and resolves after the pager has
 * ended. False: there is no such pager.
 */
export async function viewInPager(text: string): Promise<boolean> {
  const environment = processEnvironment()
  const pager = readText(environment, 'PAGER') ?? 'less'
  const child = spawn(pager, {
    shell: true,
    stdio: ['pipe', 'inherit', 'inherit'],
    // Without this option, `less` prints the escape sequences of colours as text.
    env: { ...environment, LESS: readText(environment, 'LESS') ?? 'R' },
  })
  // A pager that ends before it has read everything.
  child.stdin.on('error', () => undefined)
  child.stdin.end(text)
  // Ctrl-C is for the pager. It also reaches this process, which waits for the pager.
  const ignore = (): void => undefined
  process.on('SIGINT', ignore)
  const code = await once(child, 'close').then(
    ([end]): unknown => end,
    () => 127,
  )
  process.off('SIGINT', ignore)
  return code !== 126 && code !== 127
}
