/** Small sounds, made on the spot: a block on wood, a takeover, one's turn. Off unless wanted. */

import { settings } from '$/settings.svelte'

export type Sound = 'block' | 'takeover' | 'turn' | 'score'

/** Frequencies in Hertz, one after the other, and how long each takes in seconds. */
const NOTES: Record<Sound, { tones: number[]; each: number; shape: OscillatorType }> = {
  block: { tones: [180, 110], each: 0.05, shape: 'triangle' },
  takeover: { tones: [220, 165, 110], each: 0.07, shape: 'triangle' },
  turn: { tones: [523, 659], each: 0.12, shape: 'sine' },
  score: { tones: [392, 494, 587, 784], each: 0.11, shape: 'sine' }
}
const VOLUME = 0.12

let audio: AudioContext | null = null

export function play(sound: Sound): void {
  if (!settings.get('sounds')) return
  audio ??= new AudioContext()
  void audio.resume()
  const { tones, each, shape } = NOTES[sound]
  tones.forEach((tone, n) => {
    const at = audio!.currentTime + n * each
    const voice = audio!.createOscillator()
    const loudness = audio!.createGain()
    voice.type = shape
    voice.frequency.value = tone
    loudness.gain.setValueAtTime(VOLUME, at)
    loudness.gain.exponentialRampToValueAtTime(0.001, at + each * 2)
    voice.connect(loudness).connect(audio!.destination)
    voice.start(at)
    voice.stop(at + each * 2)
  })
}
