/** A duration in its largest unit: `12 s`, `4 min`, `3 h`, `2 d`. Pure. */
export function secondsInWords(seconds: number | null): string {
  if (seconds === null) return '–'
  const [name, size] = units.find(([, least]) => seconds >= least) ?? (['s', 1] as const)
  const count = seconds / size
  return `${count < 10 && size > 1 ? Number(count.toFixed(1)) : Math.round(count)} ${name}`
}

const units = [
  ['d', 86_400],
  ['h', 3600],
  ['min', 60],
] as const
