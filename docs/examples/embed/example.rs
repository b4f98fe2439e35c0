// The C interface from Rust: rustc example.rs -L FOLDER_OF_libdiscern.so
use std::ffi::{c_char, c_int, c_void, CStr, CString};
use std::ptr::null;

#[link(name = "discern")]
extern "C" {
    fn discern_unit_new(text: *const c_char, message: *mut c_char, size: usize) -> *mut c_void;
    fn discern_unit_free(unit: *mut c_void);
    fn discern_gemm(
        unit: *const c_void, m: usize, n: usize, k: usize, a: *const c_void, b: *const c_void, c: *const c_void,
        sa: *const c_void, sb: *const c_void, d: *mut c_void, message: *mut c_char, size: usize,
    ) -> c_int;
}

fn main() {
    let mut message = [0 as c_char; 1000];
    let name = CString::new("ampere/mma.m16n8k16.f32.f16.f16.f32").unwrap();
    let (m, n, k) = (2, 2, 32);
    let (a, b) = (vec![0x3c00u16; m * k], vec![0x3555u16; k * n]); // ones, and thirds
    let (c, mut d) = (vec![0f32; m * n], vec![0f32; m * n]);
    unsafe {
        let unit = discern_unit_new(name.as_ptr(), message.as_mut_ptr(), message.len());
        let said = |message: &[c_char]| CStr::from_ptr(message.as_ptr()).to_string_lossy().into_owned();
        if unit.is_null() {
            panic!("{}", said(&message));
        }
        let status = discern_gemm(
            unit, m, n, k, a.as_ptr().cast(), b.as_ptr().cast(), c.as_ptr().cast(), null(), null(),
            d.as_mut_ptr().cast(), message.as_mut_ptr(), message.len(),
        );
        if status != 0 {
            panic!("{}", said(&message));
        }
        discern_unit_free(unit);
    }
    println!("D = {:?}", d);
}
