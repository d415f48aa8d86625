import { rename, writeFile } from 'node:fs/promises'

/** Write a file that others read at any moment: they find it as it was, or whole. `mode` as for `writeFile`. */
export async function writeWhole(file: string, text: string, mode: number): Promise<void> {
  const half = `${file}.${process.pid}.new`
  await writeFile(half, text, { mode })
  await rename(half, file)
}
