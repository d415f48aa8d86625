import type { Readable } from 'node:stream'

/** The descriptor on which bubblewrap writes the pid of the first process inside. */
export const informationDescriptor = 7

/**
 * The pid of the first process inside, from bubblewrap's information descriptor; `null` when it
 * ends before.
 */
export function firstInside(stream: Readable): Promise<number | null> {
  let information = ''
  return new Promise((resolve) => {
    stream.on('data', (bytes: Buffer) => {
      information += bytes.toString('latin1')
      const pid = /"child-pid": (\d+)\D/.exec(information)?.[1]
      if (pid !== undefined) resolve(Number(pid))
    })
    stream.on('error', () => resolve(null))
    stream.on('close', () => resolve(null))
  })
}
