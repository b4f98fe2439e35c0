// The rounding modes of the notation in words.
export const modes = {rz: 'toward zero', rd: 'down', ru: 'up', rne: 'to nearest, ties to even', rna: 'to nearest, ties away', odd: 'to odd',
  ra: 'away from zero', rnu: 'to nearest, ties up', rnd: 'to nearest, ties down', rnz: 'to nearest, ties toward zero', rno: 'to nearest, ties to odd'};
