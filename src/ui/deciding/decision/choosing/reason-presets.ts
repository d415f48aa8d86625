/** Frequent reasons of a denial (dashboard.md, Request); the last one begins a sentence. */
export const reasonPresets = ['wrong file', 'too wide', 'not now', 'do it differently: …'] as const
export type ReasonPreset = (typeof reasonPresets)[number]

/** Puts a preset before a reason, in place of another preset. The typed text stays. */
export function withPreset(preset: ReasonPreset, reason: string): string {
  const own = ownWords(reason)
  if (preset.endsWith('…')) return `${startOf(preset)}: ${own}`
  return own === '' ? preset : `${preset}: ${own}`
}

function ownWords(reason: string): string {
  const text = reason.trim()
  for (const start of reasonPresets.map(startOf)) {
    if (text === start) return ''
    if (text.startsWith(`${start}:`)) return text.slice(start.length + 1).trim()
  }
  return text
}

function startOf(preset: ReasonPreset): string {
  return preset.replace(': …', '')
}
