/** A worker file in two parts. `yaml` has blank lines for the rest, to keep line numbers. */
export interface FrontMatter {
  readonly yaml: string
  readonly instructions: string
}

/** Splits a Markdown file at its `---` lines; `null` without a complete front matter. */
export function splitFrontMatter(text: string): FrontMatter | null {
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/)
  if (lines[0]?.trimEnd() !== '---') return null
  const end = lines.findIndex((line, index) => index > 0 && line.trimEnd() === '---')
  if (end < 0) return null
  return {
    yaml: `\n${lines.slice(1, end).join('\n')}\n`,
    instructions: lines
      .slice(end + 1)
      .join('\n')
      .trim(),
  }
}
