import { durationText } from '#policy/reading/duration.ts'

/** A rule of `retention` in countersign.yaml as it is told: `transcripts: 90d`. */
export function ruleText(name: 'transcripts' | 'records', ms: number): string {
  return `${name}: ${durationText(ms)}`
}
