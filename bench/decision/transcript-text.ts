const words =
  `the a of to and in that is for on with as by at from it was be are this which or an not have has
had were their but they his her its if all one more when who will would there been can may no so about up out them
then some other into only time could new these two first any work than very after also people through between run
file change release worker request approve policy queue decision write read team review history service`.split(
    /\s+/,
  )

/**
 * Text as people and models write it, of about that many bytes: words in random order, so that it
 * compresses like prose.
 */
export function proseOf(bytes: number): string {
  let text = ''
  while (text.length < bytes) {
    text += `${words[Math.floor(Math.random() * words.length)] ?? ''}${Math.random() < 0.05 ? Math.floor(Math.random() * 1e6) : ''} `
  }
  return text.slice(0, bytes)
}
