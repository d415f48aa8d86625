/**
 * A worker file in its two parts. `yaml` keeps the lines of the file: what is not front matter is
 * left blank.
 */
export interface FrontMatter {
  readonly yaml: string
  readonly instructions: string
}

/**
 * Splits a Markdown file at its `---` lines; `null` when it does not begin with front matter that
 * ends.
 */
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
