const units = ['bytes', 'KiB', 'MiB', 'GiB'] as const

/** A number of bytes in the largest unit that divides it: `8 MiB`, `1500 bytes`. */
export function binarySize(bytes: number): string {
  let [size, unit] = [bytes, 0]
  while (size > 0 && size % 1024 === 0 && unit < units.length - 1) {
    size /= 1024
    unit += 1
  }
  return `${size} ${units[unit] ?? ''}`
}
