import { durationText } from '#policy/reading/duration.ts'

/** A rule of `retention` as countersign.yaml has it: `transcripts: 90d`. */
export function ruleText(name: 'transcripts' | 'records', ms: number): string {
  return `${name}: ${durationText(ms)}`
}
