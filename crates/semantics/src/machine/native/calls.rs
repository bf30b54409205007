//! Calls from machine code that need no values of the machine: the arguments are words, and so
//! is the result.

use labrys_expr::Value;
use labrys_native::Word;
use labrys_program::{Callee, FunctionId, Instruction, Operation, Type};

use super::super::{Halt, Machine};
use super::algebra::Held;
use super::context::WORDS;
use super::emit::Emitter;
use super::run;
use super::values::word_width;
use crate::value::Meaning;

impl Emitter<'_, '_, '_> {
    /// Code for a call by name that fits its callee; `None` for any other instruction.
    pub(super) fn direct_call(&mut self, instruction: &Instruction) -> Option<()> {
        let Operation::Call {
            callee: Callee::Direct(id),
            arguments,
            ..
        } = &instruction.operation
        else {
            return None;
        };
        let callee = self.program.function(*id)?;
        let result = instruction.result.map_or(Some(Type::Void), |value| {
            let ty = self.function.value_type(value)?;
            word_width(ty).map(|_| ty)
        });
        let fits = callee.defined
            && !callee.variadic
            && result == Some(callee.result)
            && arguments.len() == callee.parameters.len()
            && arguments.len() <= WORDS;
        if !fits {
            return None;
        }
        let mut words = Vec::with_capacity(arguments.len());
        for (argument, parameter) in arguments.iter().zip(&callee.parameters) {
            let word = self.scalar(*argument)?.word;
            if word_width(parameter.ty) != Some(word.width()) {
                return None;
            }
            words.push(word);
        }
        for (number, mut word) in words.into_iter().enumerate() {
            let bits = self.code.bits(&mut word);
            self.set_word(number, bits);
        }
        let id = self.code.integer(u64::from(id.0));
        let ended = self.call_machine(run::call as *const u8, &[id]);
        let go_on = self.code.builder.create_block();
        self.return_if(ended, go_on);
        if let (Some(value), Some(width)) = (instruction.result, word_width(callee.result)) {
            let bits = self.word(0);
            let held = Held::new(Word::of_bits(width, bits));
            self.set(value, Meaning::Scalar(held));
        }
        Some(())
    }
}

impl Machine<'_> {
    /// Calls a function whose arguments are the words of the context, where its result goes too.
    pub(super) fn call_on_words(&mut self, id: FunctionId) -> Result<(), Halt> {
        let program = self.program;
        let function = program.function(id).ok_or(Halt::Fault)?;
        if self.frames.len() >= self.limit.depth {
            return Err(Halt::Limit);
        }
        let Some(code) = self.code_of(id) else {
            let words = self.context.words.iter();
            let arguments = function.parameters.iter().zip(words);
            let arguments = arguments.filter_map(|(parameter, word)| {
                let value = Value::new(word_width(parameter.ty)?, u128::from(word.get()));
                Some(Meaning::Scalar(value))
            });
            let arguments = arguments.collect();
            let result = self.interpret(id, function, arguments)?;
            let bits = result.and_then(|value| value.scalar()).map(Value::bits);
            self.context.words[0].set(bits.unwrap_or(0) as u64);
            return Ok(());
        };
        let entry = code.clone();
        self.push_frame(id, Vec::new(), Some(code));
        let returned = self.enter_code(&entry);
        let ended = match returned {
            true => Ok(None),
            false => self.outcome.take().unwrap_or(Err(Halt::Fault)),
        };
        self.pop_frame();
        if let Some(value) = ended?.and_then(|value| value.scalar()) {
            self.context.words[0].set(value.bits() as u64);
        }
        Ok(())
    }
}
