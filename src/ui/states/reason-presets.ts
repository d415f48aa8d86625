/** What is often said to a denial (dashboard.md, Request); the last one is to be gone on with. */
export const reasonPresets = ['wrong file', 'too wide', 'not now', 'do it differently: …'] as const
export type ReasonPreset = (typeof reasonPresets)[number]

/** A reason that begins with a preset, in the place of another one. What was typed stays. */
export function withPreset(preset: ReasonPreset, reason: string): string {
  const own = ownWords(reason)
  if (preset.endsWith('…')) return `${startOf(preset)}: ${own}`
  return own === '' ? preset : `${preset}: ${own}`
}

function ownWords(reason: string): string {
  const typed = reason.trim()
  for (const start of reasonPresets.map(startOf)) {
    if (typed === start) return ''
    if (typed.startsWith(`${start}:`)) return typed.slice(start.length + 1).trim()
  }
  return typed
}

function startOf(preset: ReasonPreset): string {
  return preset.replace(': …', '')
}
