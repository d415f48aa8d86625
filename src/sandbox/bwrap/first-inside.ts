import type { Readable } from 'node:stream'

/** On which bubblewrap says which process is the first one inside. */
export const informationDescriptor = 7

/** The first process inside, as bubblewrap tells on its information descriptor; `null` when it ends before it tells. */
export function firstInside(stream: Readable): Promise<number | null> {
  let told = ''
  return new Promise((resolve) => {
    stream.on('data', (bytes: Buffer) => {
      told += bytes.toString('latin1')
      const pid = /"child-pid": (\d+)\D/.exec(told)?.[1]
      if (pid !== undefined) resolve(Number(pid))
    })
    stream.on('error', () => resolve(null))
    stream.on('close', () => resolve(null))
  })
}
