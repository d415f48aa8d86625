import type { Readable } from 'node:stream'

/** The descriptor on which bubblewrap writes the pid of the first process inside. */
export const informationDescriptor = 7

/**
 * The first process inside, as bubblewrap tells on its information descriptor; `null` when it ends
 * before it tells.
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
